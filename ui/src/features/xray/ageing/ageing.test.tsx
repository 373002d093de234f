import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { findings } from '../../../testing/axe';
import { renderWithCore } from '../../../testing/render';
import { STANDARD } from '../../../testing/trace';
import { days, read, withRule, write } from '../../../words/ageing';
import { described } from '../../../words/constants';
import { SliderBar } from '../sliders/SliderBar';
import { xrayStore } from '../store';

describe('half-lives per kind', () => {
  it('are read and written in one spelling', () => {
    const rules = read(' fact:evergreen , tool_result : 3,event:0.5');
    expect([...rules]).toEqual([
      ['fact', 'evergreen'],
      ['tool_result', 3],
      ['event', 0.5],
    ]);
    expect(write(rules)).toBe('tool_result:3,fact:evergreen,event:0.5');
    expect(read('')).toEqual(new Map());
  });

  it('change for one kind alone', () => {
    expect(withRule('fact:evergreen', 'summary', 60)).toBe('summary:60,fact:evergreen');
    expect(withRule('summary:60,fact:evergreen', 'fact', null)).toBe('summary:60');
    expect(withRule('fact:evergreen', 'fact', null)).toBe('');
  });

  it('take days within the range only', () => {
    expect([days('3'), days(' 0,5 '), days('0'), days('4000'), days(''), days('soon')]).toEqual([
      3,
      0.5,
      null,
      null,
      null,
      null,
    ]);
  });

  it('are told in words', () => {
    expect(described('half_life_by_kind', 'tool_result:3,fact:evergreen')).toEqual([
      'half-life by kind',
      'tool result 3 d, fact evergreen',
    ]);
    expect(described('half_life_by_kind', '')[1]).toBe('all alike');
  });
});

describe('the dialog', () => {
  it('gives a kind a half-life of its own, evergreen, or none', async () => {
    const { person, container } = renderWithCore(<SliderBar verdict={null} forecast={null} />);
    const store = xrayStore();
    store.set({ constants: STANDARD });
    store.applyPreset({
      name: 'P',
      description: '',
      constants: STANDARD,
      builtin: true,
      recommended: false,
    });
    await person.click(await screen.findByRole('button', { name: 'More constants' }));
    await person.click(await screen.findByRole('button', { name: 'Ageing by kind' }));
    const dialog = await screen.findByRole('dialog', { name: 'How memories age' });
    const of = (kind: string) =>
      within(dialog).getByRole('radiogroup', { name: `How ${kind} ages` });
    const now = () => store.get().constants?.half_life_by_kind;
    await person.click(within(of('tool result')).getByRole('radio', { name: 'half-life' }));
    expect(now()).toBe('tool_result:30,fact:evergreen');
    const field = await within(dialog).findByRole('textbox', {
      name: 'Half-life of tool result in days',
    });
    await person.clear(field);
    expect(within(dialog).getByText('0.1 to 3650 days')).toBeInTheDocument();
    await person.type(field, '3');
    expect(now()).toBe('tool_result:3,fact:evergreen');
    await person.click(within(of('fact')).getByRole('radio', { name: 'as all' }));
    expect(now()).toBe('tool_result:3');
    expect(await findings(container.ownerDocument.body)).toEqual([]);
    await person.click(within(dialog).getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
