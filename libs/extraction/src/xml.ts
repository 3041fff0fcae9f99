import { Parser } from 'htmlparser2';
import { unprocessable } from './unreadable-file.js';

export type Attributes = Readonly<Record<string, string>>;

export interface XmlEvents {
  /** Names without their prefix. */
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

const PIECE = 256 * 1024;
const MAX_DEPTH = 2_000;

/**
 * Reads XML of an Office file. Office writes no document type, so nothing is declared and nothing expanded: a file that
 * has one is refused (entity bombs begin so). Of what stands there in several notations (`mc:AlternateContent`), the
 * first is read. Returns whether the XML has its end. @throws UnreadableFile
 */
export function readXml(bytes: Uint8Array, events: XmlEvents): boolean {
  let depth = 0;
  const notations = new AlternateContent();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > MAX_DEPTH) throw unprocessable('the file is nested too deeply');
        if (notations.open(local(name))) events.open?.(local(name), attributes);
      },
      onclosetag: (name) => {
        depth -= 1;
        if (notations.close(local(name))) events.close?.(local(name));
      },
      ontext: (text) => {
        if (!notations.isOther) events.text?.(text);
      },
      onprocessinginstruction: (name) => {
        if (/^!(doctype|entity)/i.test(name)) throw unprocessable('the file declares a document type');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += PIECE)
    parser.write(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }));
  const isWhole = depth === 0;
  parser.end();
  return isWhole;
}

/** Tells which elements stand in a notation that is not the first one (ECMA-376, part 3). */
class AlternateContent {
  isOther = false;
  /** Of each AlternateContent around us, whether its first notation was there. */
  private readonly around: boolean[] = [];
  private within = 0;

  open(name: string): boolean {
    if (this.isOther) {
      this.within += 1;
      return false;
    }
    if (name === 'AlternateContent') this.around.push(false);
    if (name !== 'Choice' && name !== 'Fallback') return true;
    const isFirst = this.around.at(-1) !== true;
    if (this.around.length > 0) this.around[this.around.length - 1] = true;
    this.isOther = !isFirst;
    return isFirst;
  }

  close(name: string): boolean {
    if (this.isOther) {
      this.isOther = this.within > 0;
      if (this.isOther) this.within -= 1;
      return false;
    }
    if (name === 'AlternateContent') this.around.pop();
    return true;
  }
}

const encodingOf = (bytes: Uint8Array): string =>
  bytes[0] === 0xff && bytes[1] === 0xfe
    ? 'utf-16le'
    : bytes[0] === 0xfe && bytes[1] === 0xff
      ? 'utf-16be'
      : 'utf-8';

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** An attribute by its name without prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  for (const key in attributes) if (local(key) === name) return attributes[key];
  return undefined;
}

/** The id of a relation: the one that has a prefix, whatever it is, for `id` alone may number the element. */
export function relationId(attributes: Attributes, name = 'id'): string | undefined {
  for (const key in attributes) if (key.includes(':') && local(key) === name) return attributes[key];
  return undefined;
}
