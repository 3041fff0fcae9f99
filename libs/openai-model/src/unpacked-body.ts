import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { MalformedAnswer } from './failures.js';

/** No answer of a model is larger, however small it was packed. */
const maxUnpackedBytes = 64 * 1024 * 1024;
/** Nobody packs what is packed more often. */
const maxLayers = 3;

/** Decompresses a response that is compressed although it was requested otherwise. Owns the streams until `close`. */
export class UnpackedBody {
  private readonly layers: Layer[];

  private constructor(encodings: readonly string[]) {
    this.layers = encodings.map((encoding) => new Layer(encoding));
  }

  /** @param first the first bytes of the body: some servers pack without saying so. undefined: it is not packed */
  static of(contentEncoding: string | string[] | undefined, first: Buffer): UnpackedBody | undefined {
    const named = [contentEncoding ?? '']
      .flat()
      .join()
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter((name) => PACKINGS.has(name));
    const isGzip = first[0] === 0x1f && first[1] === 0x8b;
    const encodings = named.length === 0 && isGzip ? ['gzip'] : named.toReversed();
    return encodings.length === 0 ? undefined : new UnpackedBody(encodings.slice(0, maxLayers));
  }

  /** What these bytes hold. @throws Nonsense */
  async feed(bytes: Buffer): Promise<Buffer> {
    let at = bytes;
    for (const layer of this.layers) at = await layer.feed(at);
    return at;
  }

  close(): void {
    for (const layer of this.layers) layer.close();
  }
}

const PACKINGS = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

class Layer {
  private stream: Transform | undefined;
  private parts: Buffer[] = [];
  private size = 0;
  private failure: Error | undefined;
  private fail: ((error: Error) => void) | undefined;

  constructor(private readonly encoding: string) {}

  async feed(bytes: Buffer): Promise<Buffer> {
    if (bytes.length === 0) return bytes;
    const stream = (this.stream ??= this.opened(bytes));
    await new Promise<void>((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      this.fail = reject;
      stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    }).catch((error: unknown) => {
      if (error instanceof MalformedAnswer) throw error;
      throw new MalformedAnswer(`the model server's answer is no ${this.encoding}`, { cause: error });
    });
    const { parts } = this;
    this.parts = [];
    return Buffer.concat(parts);
  }

  close(): void {
    this.stream?.destroy();
  }

  private opened(first: Buffer): Transform {
    const stream = decompressor(this.encoding, first);
    stream.on('data', (part: Buffer) => {
      this.parts.push(part);
      this.size += part.length;
      if (this.size > maxUnpackedBytes)
        stream.destroy(new MalformedAnswer("the model server's answer does not end"));
    });
    stream.on('error', (error) => {
      this.failure = error;
      this.fail?.(error);
    });
    return stream;
  }
}

function decompressor(encoding: string, first: Buffer): Transform {
  const finishFlush = constants.Z_SYNC_FLUSH;
  switch (encoding) {
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    case 'deflate': {
      // The standard means zlib's envelope; some servers send what would stand in it.
      const [b0 = 0, b1 = 0] = first;
      const isZlib = (b0 & 0x0f) === 8 && ((b0 << 8) | b1) % 31 === 0;
      return isZlib ? createInflate({ finishFlush }) : createInflateRaw({ finishFlush });
    }
    default:
      return createGunzip({ finishFlush });
  }
}
