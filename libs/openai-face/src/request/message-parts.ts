import { type Fields, fieldsOf, oneOf, requiredText, textIn } from './fields.js';
import type { AskedPart } from './asked-item.js';
import { MOST } from './limits.js';
import { partsIn, typeOf, unsupportedType } from './parts.js';
import { refused } from './refusals.js';

const TEXT = { max: MOST.text };
const DROPPED = ['annotations', 'logprobs', 'parsed'];
/** Of any part. */
export const UNSUPPORTED = ['prompt_cache_breakpoint'];

/** @throws Problem naming the part */
export function partsOf(content: unknown, role: string, path: string): readonly AskedPart[] {
  const partOf = role === 'assistant' ? saidPart : givenPart;
  return partsIn(content, path, (part, at) => partOf(part, at, role));
}

function saidPart(part: unknown, path: string): AskedPart {
  switch (typeOf(part)) {
    case 'output_text':
    case 'input_text':
    case 'text': {
      const fields = textFields(part, path);
      return { kind: 'text', text: requiredText(fields, 'text', TEXT) };
    }
    case 'refusal': {
      const fields = fieldsOf(part, path, { known: ['type', 'refusal'] });
      return { kind: 'text', text: requiredText(fields, 'refusal', TEXT), isRefusal: true };
    }
    default:
      return unsupportedType(part, path);
  }
}

function givenPart(part: unknown, path: string, role: string): AskedPart {
  const type = typeOf(part);
  if (type === 'input_text' || type === 'text') {
    const fields = textFields(part, path);
    return { kind: 'text', text: requiredText(fields, 'text', TEXT) };
  }
  if (role !== 'user') return unsupportedType(part, path);
  if (type === 'input_image') return imagePart(part, path);
  return type === 'input_file' ? filePart(part, path) : unsupportedType(part, path);
}

const textFields = (part: unknown, path: string): Fields =>
  fieldsOf(part, path, { known: ['type', 'text'], unsupported: UNSUPPORTED, dropped: DROPPED });

function imagePart(part: unknown, path: string): AskedPart {
  const fields = fieldsOf(part, path, {
    known: ['type', 'image_url', 'detail'],
    unsupported: ['file_id', ...UNSUPPORTED],
  });
  const url = requiredText(fields, 'image_url', { min: 1, max: MOST.text });
  requireImageUrl(url, `${path}.image_url`);
  const detail = oneOf(fields, 'detail', ['auto', 'low', 'high', 'original']);
  return { kind: 'image', url, ...(detail === undefined ? {} : { detail }) };
}

/** It is handed on as it is: the model's server fetches it, or takes it from the address itself. */
export function requireImageUrl(url: string, path: string): void {
  const isData = /^data:image\/[a-z0-9.+-]{1,50};base64,/i.test(url.slice(0, 100));
  if (isData || (/^https:\/\//i.test(url) && url.length <= MOST.url)) return;
  throw refused('invalid_value', path, `${path}: must be a data: URL of an image, or an https: URL`);
}

function filePart(part: unknown, path: string): AskedPart {
  const fields = fieldsOf(part, path, {
    known: ['type', 'filename', 'file_data'],
    unsupported: ['file_id', 'file_url', 'detail', ...UNSUPPORTED],
  });
  const filename = textIn(fields, 'filename', { min: 1, max: MOST.name }) ?? 'file';
  return { kind: 'file', filename, ...dataOf(fields), path: `${path}.file_data` };
}

const DATA_URL = /^data:([a-z0-9.+/-]{0,100})(?:;charset=[a-z0-9-]{1,40})?;base64,/i;

function dataOf(fields: Fields): { readonly bytes: Uint8Array; readonly mediaType: string } {
  const data = requiredText(fields, 'file_data', { min: 1, max: MOST.text });
  const head = DATA_URL.exec(data.slice(0, 200));
  const base64 = head === null ? '' : data.slice(head[0].length);
  // Buffer passes over what is none.
  if (head === null || !/^[a-z0-9+/]*={0,2}$/i.test(base64)) {
    const path = `${fields.path}.file_data`;
    throw refused('invalid_value', path, `${path}: must be a data: URL with base64`);
  }
  return { bytes: Buffer.from(base64, 'base64'), mediaType: head[1] ?? '' };
}
