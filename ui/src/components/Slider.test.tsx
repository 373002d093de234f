import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { findings } from '../testing/axe';
import { Slider, type SliderProps } from './Slider';

function Held(props: Partial<SliderProps> & { onCommit?: (value: number) => void }) {
  const [value, setValue] = useState(props.value ?? 40);
  return (
    <Slider
      label="candidates"
      min={1}
      max={500}
      step={1}
      defaultValue={40}
      format={(shown) => `${shown} each`}
      {...props}
      value={value}
      onChange={setValue}
    />
  );
}

it('moves by one step per key and says its value in words', async () => {
  const commit = vi.fn();
  render(<Held onCommit={commit} />);
  const person = userEvent.setup();
  await person.tab();
  await person.keyboard('{ArrowRight}{ArrowRight}{ArrowLeft}');
  const slider = screen.getByRole('slider', { name: 'candidates' });
  expect(slider.getAttribute('aria-valuetext')).toBe('41 each');
  expect(commit).toHaveBeenLastCalledWith(41);
});

it('stays in its range and goes back to the default', async () => {
  render(<Held value={499} />);
  const person = userEvent.setup();
  await person.tab();
  await person.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}');
  const slider = screen.getByRole('slider');
  expect(slider.getAttribute('aria-valuetext')).toBe('500 each');
  await person.keyboard('0');
  expect(slider.getAttribute('aria-valuetext')).toBe('40 each');
});

it('puts equal factors at equal distances on a logarithmic track', () => {
  const places = [1, 10, 100].map((value) => {
    const { unmount } = render(
      <Slider
        label="half-life"
        scale="log"
        min={1}
        max={100}
        step={1}
        value={value}
        onChange={() => {}}
      />,
    );
    const place = (screen.getByRole('slider') as HTMLInputElement).valueAsNumber;
    unmount();
    return place;
  });
  expect(places).toEqual([0, 1000, 2000]);
});

it('draws a green band from one end of an interval to the other', () => {
  const { container } = render(<Held min={0} max={100} intervals={[[25, 75]]} />);
  const band = container.querySelector<HTMLElement>('.band');
  expect(band?.style.left).toBe('25%');
  expect(band?.style.right).toBe('calc(25%)');
});

it('has no accessibility finding', async () => {
  render(<Held intervals={[[63, 500]]} note="63–500 works" />);
  expect(await findings()).toEqual([]);
});
