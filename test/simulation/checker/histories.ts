import { HistoryFold, type HistoryMessage } from '#projections';
import { type LoggedMessage, historyOnLog } from '../../support/log-history.js';
import { type SessionLog, require } from './evidence.js';

/** I9: what the fold makes of a session is what stands on its log. */
export function checkHistory({ id, events }: SessionLog): void {
  const readable = events.filter(({ isErased, type }) => isErased !== true && type !== 'session_erased');
  const expected = JSON.stringify(historyOnLog(readable));
  const folded = JSON.stringify(foldOf(readable));
  require(folded === expected, 'I9 the history is what the log holds', () =>
    `${id}: ${folded.slice(0, 300)} instead of ${expected.slice(0, 300)}`);
}

function foldOf(events: SessionLog['events']): LoggedMessage[] {
  let messages: LoggedMessage[] = [];
  const fold = new HistoryFold({
    add: ({ type, pieces }: HistoryMessage) => messages.push({ type, pieces }),
    addRequest: () => undefined,
    clear: () => (messages = []),
  });
  for (const event of events) fold.push(event);
  fold.finish();
  return messages;
}
