import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { RankFlow } from './RankFlow';
import { COLUMNS } from './shape';

const IDS = Array.from({ length: 50 }, (_, index) => `m${index + 1}`);

function drawn(hot: string | null, selected: string | null = null) {
  const columns = COLUMNS.map((key) => ({
    key,
    ranks: new Map((key === 'final' ? IDS.slice(0, 3) : IDS).map((id, at) => [id, at + 1])),
    leaving: new Set<string>(),
    ran: true,
  }));
  return render(
    <RankFlow
      title="Three were found"
      columns={columns}
      results={IDS.slice(0, 3)}
      hot={hot}
      selected={selected}
      onPoint={() => {}}
      onOpen={() => {}}
      nameOf={(id) => id}
      sideOf={() => ''}
    />,
  );
}

const isDimmed = () => screen.getByRole('img').hasAttribute('data-hot');

it('dims the others only for a memory that has a line here', () => {
  drawn('m2');
  expect(isDimmed()).toBe(true);
  expect(screen.queryByRole('status')).toBeNull();
});

it.each([
  ['m50', null, /in a ribbon/],
  ['m999', null, /in none of these lists/],
  [null, 'm50', /in a ribbon/],
])('says where %s (open: %s) is instead of dimming everything', (hot, selected, words) => {
  drawn(hot, selected);
  expect(isDimmed()).toBe(false);
  expect(screen.getByRole('status').textContent).toMatch(words);
});

it('shows the open memory apart from the others', () => {
  const { container } = drawn(null, 'm2');
  expect(container.querySelectorAll('[data-selected]')).toHaveLength(1);
  expect(isDimmed()).toBe(false);
});
