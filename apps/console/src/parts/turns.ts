/** How long a page may be busy before it lets the browser paint, in ms. */
const BUSY_MS = 12;

/** Lets whatever else waits have its turn: input, painting. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}

/** Long work in slices. Owns since when the page is busy with it. */
export class Turns {
  private since = performance.now();

  /** Whether others have waited long enough. */
  get isOver(): boolean {
    return performance.now() - this.since >= BUSY_MS;
  }

  async next(): Promise<void> {
    await breathe();
    this.since = performance.now();
  }
}
