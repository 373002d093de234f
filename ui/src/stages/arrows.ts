/** ↑ ↓ Home End walk through the rows of a list; each row carries `data-row`. */
import type { KeyboardEvent } from 'react';
import { walkAmong } from '../components/oneStop';

export function walkRows(event: KeyboardEvent<HTMLElement>): void {
  walkAmong(event, '[data-row]', false);
}
