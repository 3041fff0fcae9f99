/** The items of an array in JSON, without its brackets. Returns what the pages return. */
export async function* jsonItems<R>(pages: AsyncGenerator<readonly object[], R>): AsyncGenerator<string, R> {
  let before = '';
  for (;;) {
    const { value, done } = await pages.next();
    if (done === true) return value;
    if (value.length === 0) continue;
    // One call for all of them: a call for each is dearer, and histories are asked for often.
    yield before + JSON.stringify(value).slice(1, -1);
    before = ',';
  }
}
