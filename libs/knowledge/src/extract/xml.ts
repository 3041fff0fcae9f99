import { Parser } from 'htmlparser2';
import { unprocessable } from './unreadable-file.js';

export interface XmlEvents {
  /** Names without their prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

const PIECE = 256 * 1024;
const MAX_DEPTH = 2_000;

/**
 * Reads XML of an Office file. Office writes no document type, so nothing is declared and nothing expanded: a file that
 * has one is refused (entity bombs begin so). @throws UnreadableFile
 */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > MAX_DEPTH) throw unprocessable('the file is nested too deeply');
        events.open?.(local(name), attributes);
      },
      onclosetag: (name) => {
        depth -= 1;
        events.close?.(local(name));
      },
      ontext: (text) => events.text?.(text),
      onprocessinginstruction: (name) => {
        if (/^!(doctype|entity)/i.test(name)) throw unprocessable('the file declares a document type');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += PIECE)
    parser.write(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }));
  parser.end();
}

const encodingOf = (bytes: Uint8Array): string =>
  bytes[0] === 0xff && bytes[1] === 0xfe
    ? 'utf-16le'
    : bytes[0] === 0xfe && bytes[1] === 0xff
      ? 'utf-16be'
      : 'utf-8';

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

/** An attribute by its name without prefix. */
export function attribute(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  for (const key in attributes) if (local(key) === name) return attributes[key];
  return undefined;
}
