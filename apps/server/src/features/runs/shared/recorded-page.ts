/** An event on the log: its revision, and its JSON text. */
interface Recorded {
  readonly id: number;
  readonly json: string;
}

/** A page of recorded events as JSON, of which only the event that is being written is in memory. */
export async function* recordedPage(events: AsyncGenerator<Recorded, boolean>): AsyncGenerator<string> {
  yield '{"items":[';
  let last: number | null = null;
  for (;;) {
    const next = await events.next();
    if (next.done === true) {
      const cursor = next.value && last !== null ? `"${last}"` : 'null';
      return yield `],"next_cursor":${cursor}}`;
    }
    const { id, json } = next.value;
    yield `${last === null ? '' : ','}{"id":"${id}","data":${json}}`;
    last = id;
  }
}
