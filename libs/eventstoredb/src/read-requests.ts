import type { StreamName } from '#domain';
import type { Position, Revision } from '#event-log';
import { type ReadReq, shared, streams } from './stubs.js';

export type From = Position | 'end';

/** Foreign events that the server looks at in one go for a filtered read; more than any count that is asked for. */
const SEARCH_WINDOW = 4_096;
/** In units of 32 events; checkpoints are not used: one may lie before an event that was not delivered (KurrentDB#4975). */
const CHECKPOINT_INTERVAL = 1_000;
const Direction = streams.ReadReq.Options.ReadDirection;

/** `count` events of a stream, right after `after` in the direction of reading. */
export function streamRead(
  stream: StreamName,
  after: Revision | undefined,
  backwards: boolean,
  count: number,
): ReadReq {
  const place = new streams.ReadReq.Options.StreamOptions();
  const name = new shared.StreamIdentifier();
  name.setStreamName(new TextEncoder().encode(stream));
  place.setStreamIdentifier(name);
  if (after !== undefined && (backwards ? after > 0 : after >= 0))
    place.setRevision(String(backwards ? after - 1 : after + 1));
  else if (backwards) place.setEnd(new shared.Empty());
  else place.setStart(new shared.Empty());
  return request(count, backwards, (options) => options.setStream(place));
}

/** `count` events of all streams. A read begins with the event at its position itself. */
export const allRead = (from: From, backwards: boolean, count: number): ReadReq =>
  request(count, backwards, (options) => options.setAll(placeOf(from)));

/** A subscription to all streams: it begins after its position. */
export const endlessRead = (after: Position): ReadReq =>
  request('endless', false, (options) => options.setAll(placeOf(after)));

/** Only streams with one of the prefixes. The server filters reads as it does subscriptions. */
export function filtered(read: ReadReq, prefixes: readonly string[]): ReadReq {
  const names = new streams.ReadReq.Options.FilterOptions.Expression();
  names.setPrefixList([...prefixes]);
  const filter = new streams.ReadReq.Options.FilterOptions();
  filter.setStreamIdentifier(names);
  filter.setMax(SEARCH_WINDOW);
  filter.setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL);
  const options = read.getOptions()!;
  options.clearNoFilter();
  options.setFilter(filter);
  return read;
}

function placeOf(from: From): ReadReq.Options.AllOptions {
  const place = new streams.ReadReq.Options.AllOptions();
  if (from === 'end') place.setEnd(new shared.Empty());
  else if (from === 0) place.setStart(new shared.Empty());
  else {
    // Both are the event's own place: nobody writes our streams in transactions of the old TCP protocol.
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(String(from));
    position.setPreparePosition(String(from));
    place.setPosition(position);
  }
  return place;
}

function request(
  count: number | 'endless',
  backwards: boolean,
  place: (options: ReadReq.Options) => void,
): ReadReq {
  const options = new streams.ReadReq.Options();
  place(options);
  if (count === 'endless') options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  else options.setCount(String(count));
  options.setReadDirection(backwards ? Direction.BACKWARDS : Direction.FORWARDS);
  options.setResolveLinks(false);
  const ids = new streams.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  options.setNoFilter(new shared.Empty());
  const read = new streams.ReadReq();
  read.setOptions(options);
  return read;
}
