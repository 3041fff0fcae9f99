import { serveRequests } from '#platform';

/** What a test asks of a process that may die. */
export type Deed =
  | { readonly kind: 'echo'; readonly text: string }
  | { readonly kind: 'count the bytes' }
  | { readonly kind: 'compute'; readonly ms: number }
  | { readonly kind: 'give'; readonly pieces: number }
  | { readonly kind: 'spin' | 'fill the heap' | 'fill memory beside the heap' | 'exit' | 'throw' | 'abort' }
  | { readonly kind: 'tell the environment' };

/** The process of the tests: does what it is asked, however bad. */
serveRequests<Deed, unknown, number>(async (deed, bytes, give) => {
  switch (deed.kind) {
    case 'echo':
      return deed.text;
    case 'count the bytes':
      return bytes.reduce((sum, byte) => (sum + byte) % 65_521, bytes.length);
    case 'compute':
      for (const end = computedMs() + deed.ms; computedMs() < end;);
      return 'computed';
    case 'give':
      for (let piece = 0; piece < deed.pieces; piece++) await give(piece);
      return 'given';
    case 'spin':
      for (;;);
    case 'fill the heap':
      return fill(() => Array.from({ length: 100_000 }, (_, i) => ({ i })));
    case 'fill memory beside the heap':
      return fill(() => Buffer.alloc(1024 * 1024, 1));
    case 'exit':
      return process.exit(3);
    case 'throw':
      throw new Error('on purpose');
    case 'abort':
      return process.abort();
    case 'tell the environment':
      return process.env;
  }
});

function fill(more: () => unknown): never {
  const held: unknown[] = [];
  for (;;) held.push(more());
}

function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
