import { xray } from '../../locales/en/xray';
import { stageOf } from '../../trace/model';
import type { StageContext } from '../context';

const t = xray.select;

/** How many are returned, what was dropped for which reason, and what the block costs. */
export function selectSentence({ trace, context, verdict }: StageContext): string {
  const stage = stageOf(trace, 'select');
  if (trace.results.length === 0) return t.none;
  const dropped = (reason: string) => stage.items.filter((item) => item.dropped === reason).length;
  const parts = [t.kept(trace.results.length)];
  const place = verdict ? trace.results.indexOf(verdict.expected) : -1;
  if (place >= 0) parts.push(t.expected(place + 1));
  if (dropped('duplicate') > 0) parts.push(t.duplicates(dropped('duplicate')));
  if (dropped('flagged') > 0) parts.push(t.flagged(dropped('flagged')));
  if (context) parts.push(t.tokens(context.tokens, context.budget));
  return parts.join('; ');
}
