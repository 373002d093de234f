import assert from 'node:assert/strict';
import { test } from 'node:test';

import { difference } from './another-cpu.mjs';

const list = (...rows) => rows.map(([id, score]) => ({ id, score }));

test('lists in the same order with the same scores do not differ', () => {
  assert.equal(difference(list(['m1', 0.9], ['m2', 0.8]), list(['m1', 0.9], ['m2', 0.800001])), undefined);
});

test('another order, another memory, a missing one and another score are told', () => {
  const here = list(['m1', 0.9], ['m2', 0.8]);
  for (const there of [
    list(['m2', 0.8], ['m1', 0.9]),
    list(['m1', 0.9], ['m3', 0.8]),
    list(['m1', 0.9]),
    list(['m1', 0.9], ['m2', 0.79]),
  ]) {
    assert.ok(difference(here, there), JSON.stringify(there));
  }
});
