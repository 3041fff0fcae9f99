import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { type FieldError, Problem, filenameFault } from '#domain';
import { type ReceivedFile, type UploadStore } from '#vault';
import { LENGTHS, isAtMost } from '../../edge/validation/lengths.js';
import { invalidFields } from '../../edge/problems/invalid-fields.js';

/** A file as it was sent, on disk. */
export interface Upload {
  readonly file: ReceivedFile;
  readonly filename: string;
  readonly datastore: string;
}

export interface UploadRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** What the parts and their headers may add to the file. */
const FRAME_BYTES = 64 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 1_000, headerPairs: 20, headerSize: 8 * 1024, parts: 20 };

/**
 * Reads a multipart body with a `file` and a `datastore_id`, in any order, a piece at a time. Nothing is left of a file
 * that is refused. @throws Problem
 */
export async function receiveUpload(
  { headers, body }: UploadRequest,
  store: UploadStore,
  maxBytes: number,
): Promise<Upload> {
  if (Number(headers['content-length'] ?? 0) > maxBytes + FRAME_BYTES) throw tooLarge(maxBytes);
  const parts = new Parts(store, maxBytes);
  try {
    await readParts(headers, body, parts);
    return parts.complete();
  } catch (error) {
    await parts.discard();
    body.unpipe();
    body.resume();
    throw error;
  }
}

function readParts(headers: IncomingHttpHeaders, body: Readable, parts: Parts): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const busboy = openBusboy(headers);
  const fail = (error: unknown): void => {
    body.unpipe(busboy);
    reject(parts.problem ?? (error instanceof Problem ? error : BROKEN));
  };
  busboy.on('file', (name, stream, filename) => {
    stream.on('error', fail);
    parts.file(name, stream, filename).catch(fail);
  });
  busboy.on('field', (name, value) => parts.field(name, value));
  for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const)
    busboy.on(limit, () => fail(new Problem('invalid_request', 'the body has too many parts')));
  busboy.on('error', fail);
  busboy.on('finish', () => void parts.settled().then(resolve, fail));
  body.on('error', () => fail(CUT_OFF));
  body.on('close', () => {
    if (!body.readableEnded) fail(CUT_OFF);
  });
  body.pipe(busboy);
  return promise;
}

function openBusboy(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: LIMITS,
      preservePath: true,
      defCharset: 'utf8',
    });
  } catch {
    throw new Problem('invalid_request', 'Content-Type: the boundary of the parts is missing');
  }
}

/** What has come so far. Owns the received file until it is handed over. */
class Parts {
  private readonly errors: FieldError[] = [];
  private receiving: Promise<ReceivedFile> | null = null;
  private received: ReceivedFile | null = null;
  private filename = '';
  private datastore: string | null = null;
  private stream: BusboyFileStream | null = null;
  private hasFile = false;
  private isTooLarge = false;

  constructor(
    private readonly store: UploadStore,
    private readonly maxBytes: number,
  ) {}

  /** What is wrong with the file itself, whatever became of the body. */
  get problem(): Problem | null {
    return this.isTooLarge ? tooLarge(this.maxBytes) : null;
  }

  field(name: string, value: string): void {
    if (name === 'file') this.refuse('file', 'must be a file, with a file name');
    else if (name !== 'datastore_id') this.refuse(name.slice(0, 100), 'is not a known field');
    else if (this.datastore !== null) this.refuse('datastore_id', 'must be given once');
    else if (!isAtMost(LENGTHS.name, value))
      this.refuse('datastore_id', `must have at most ${LENGTHS.name} characters`);
    else if (value.includes('\0') || value.includes('\u{fffd}')) this.refuse('datastore_id', 'must be UTF-8');
    else this.datastore = value;
  }

  async file(name: string, stream: BusboyFileStream, filename: string | undefined): Promise<void> {
    const fault = filenameFault(filename ?? '');
    if (name !== 'file') this.refuse(name.slice(0, 100), 'is not a known field');
    else if (this.hasFile) this.refuse('file', 'must be given once');
    else if (fault !== null) this.refuse('file', fault);
    this.hasFile ||= name === 'file';
    // What is refused is read all the same, so that every fault is named.
    if (this.errors.length > 0) return void stream.resume();
    this.filename = filename ?? '';
    this.stream = stream;
    this.receiving = this.receive(stream);
    await this.receiving;
  }

  async settled(): Promise<void> {
    await this.receiving;
  }

  complete(): Upload {
    const { received, filename, datastore } = this;
    if (!this.hasFile && !this.errors.some(({ path }) => path === 'file')) this.refuse('file', 'is required');
    if (datastore === null && !this.errors.some(({ path }) => path === 'datastore_id'))
      this.refuse('datastore_id', 'is required');
    if (datastore === '') this.refuse('datastore_id', 'must not be empty');
    if (this.errors.length > 0 || received === null || datastore === null) throw invalidFields(this.errors);
    return { file: received, filename, datastore };
  }

  async discard(): Promise<void> {
    // A part that was cut off never ends by itself.
    this.stream?.destroy();
    await this.receiving?.catch(() => undefined);
    await this.received?.discard();
  }

  private async receive(stream: BusboyFileStream): Promise<ReceivedFile> {
    try {
      this.received = await this.store.receive(this.counted(stream), this.maxBytes);
      return this.received;
    } catch (error) {
      throw this.problem ?? error;
    }
  }

  private async *counted(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of stream) {
      bytes += piece.length;
      this.isTooLarge = bytes > this.maxBytes;
      yield piece;
    }
  }

  private refuse(path: string, message: string): void {
    this.errors.push({ path, message });
  }
}

const BROKEN = new Problem('invalid_request', 'the multipart body is broken or was cut off');
const CUT_OFF = new Problem('invalid_request', 'the body was cut off');
const tooLarge = (maxBytes: number): Problem =>
  new Problem(
    'payload_too_large',
    `the file is larger than the ${maxBytes / 1024 / 1024} MB that MAX_UPLOAD_MB allows`,
  );
