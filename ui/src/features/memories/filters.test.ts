import { expect, it } from 'vitest';
import { filtering, NO_FILTERS, requestFor } from './filters';

const NOW = Date.UTC(2026, 4, 18, 9, 30, 20);

it('asks for everything without filters', () => {
  const request = requestFor(NO_FILTERS, NOW);
  expect(request).toMatchObject({ contains: null, trash: false, sort: 'newest' });
  expect(request.filter).toMatchObject({ agents: [], after: null, before: null });
  expect(filtering(NO_FILTERS)).toBe(false);
});

it('counts spans back from the full minute, so that the question stays the same for a while', () => {
  const week = requestFor({ ...NO_FILTERS, date: 'week' }, NOW);
  expect(week.filter?.after).toBe('2026-05-11T09:30:00.000Z');
  expect(requestFor({ ...NO_FILTERS, date: 'week' }, NOW + 30_000)).toEqual(week);
});

it('includes the last day of a range and leaves open ends open', () => {
  const request = requestFor(
    { ...NO_FILTERS, date: 'range', from: '2026-05-01', until: '2026-05-02' },
    NOW,
  );
  const days =
    (Date.parse(request.filter?.before ?? '') - Date.parse(request.filter?.after ?? '')) /
    86_400_000;
  expect(days).toBe(2);
  expect(
    requestFor({ ...NO_FILTERS, date: 'range', from: '2026-05-01' }, NOW).filter?.before,
  ).toBeNull();
});

it('trims the text and treats blanks as no filter', () => {
  expect(requestFor({ ...NO_FILTERS, contains: '  gateway ' }, NOW).contains).toBe('gateway');
  expect(requestFor({ ...NO_FILTERS, contains: '   ' }, NOW).contains).toBeNull();
});

it('names a conversation by all that tells it apart, and its project by its folder', () => {
  const key = JSON.stringify(['/work/harbor', 'claude-code', 's1']);
  const filters = { ...NO_FILTERS, session: key, project: '/work/harbor' };
  expect(requestFor(filters, NOW).filter).toMatchObject({
    org: '/work/harbor',
    agents: ['claude-code'],
    session: 's1',
  });
  expect(filtering(filters)).toBe(true);
  expect(requestFor({ ...NO_FILTERS, project: '/work/harbor' }, NOW).filter).toMatchObject({
    org: '/work/harbor',
    agents: [],
    session: null,
  });
});
