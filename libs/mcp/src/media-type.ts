/** What formats begin with, by their specifications; of those in RIFF also what stands behind the eighth byte. */
const BEGINNINGS: readonly (readonly [type: string, first: string, inRiff?: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF', 'WEBP'],
  ['audio/wav', 'RIFF', 'WAVE'],
  ['audio/mpeg', 'ID3'],
  ['audio/mpeg', '\xff\xfb'],
  ['audio/mpeg', '\xff\xf3'],
  ['audio/mpeg', '\xff\xf2'],
  ['audio/flac', 'fLaC'],
  ['application/pdf', '%PDF-'],
];

const HEAD_BYTES = 16;

/** What a file is by its first bytes; null: it is none of the formats that are known here. */
export function mediaTypeOf(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const found = BEGINNINGS.find(
    ([, first, inRiff = '']) => head.startsWith(first) && head.startsWith(inRiff, 8),
  );
  return found?.[0] ?? null;
}
