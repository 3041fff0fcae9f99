import type { ImageKind } from './image-size.js';

/** How the first row and column of an image lie when it is shown. */
export interface Orientation {
  /** 1 as they are, 2 to 8 mirrored or turned (Exif, tag 0x0112). */
  readonly value: number;
  /** The image with nothing said of it: decoders turn some kinds by themselves. */
  readonly plain: () => Uint8Array;
}

export function orientationOf(kind: ImageKind, bytes: Uint8Array): Orientation {
  const asItIs = { value: 1, plain: () => bytes };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const exif = EXIF[kind](view);
    const entry = exif === null ? null : entryIn(exif);
    if (entry === null || entry.value < 2 || entry.value > 8) return asItIs;
    const plain = (): Uint8Array => {
      const copy = Uint8Array.from(bytes);
      const at = entry.at.byteOffset - bytes.byteOffset;
      copy.set(entry.isLittle ? [1, 0] : [0, 1], at);
      return copy;
    };
    return { value: entry.value, plain };
  } catch {
    // What is cut off says nothing.
    return asItIs;
  }
}

type Find = (view: DataView) => DataView | null;

/** A JPEG's segment APP1, a PNG's chunk eXIf, a WebP's chunk EXIF. */
const EXIF: Readonly<Record<ImageKind, Find>> = {
  jpeg: (view) => {
    for (let at = 2; view.getUint8(at) === 0xff;) {
      const marker = view.getUint8(at + 1);
      if (marker === 0xda || marker === 0xd9) return null;
      if (marker === 0xff) at += 1;
      else {
        const length = view.getUint16(at + 2);
        if (marker === 0xe1 && ascii(view, at + 4, 4) === 'Exif') return part(view, at + 10, length - 8);
        at += 2 + length;
      }
    }
    return null;
  },
  png: (view) => {
    for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at))
      if (ascii(view, at + 4, 4) === 'eXIf') return part(view, at + 8, view.getUint32(at));
    return null;
  },
  webp: (view) => {
    for (let at = 12; at + 8 <= view.byteLength;) {
      const length = view.getUint32(at + 4, true);
      if (ascii(view, at, 4) !== 'EXIF') at += 8 + length + (length % 2);
      // Some programs write a JPEG's beginning of it.
      else if (ascii(view, at + 8, 4) === 'Exif') return part(view, at + 14, length - 6);
      else return part(view, at + 8, length);
    }
    return null;
  },
};

interface Entry {
  readonly value: number;
  /** Of two bytes. */
  readonly at: DataView;
  readonly isLittle: boolean;
}

/** TIFF 6.0: a header that tells the order of bytes, then a list of entries of twelve bytes each. */
function entryIn(exif: DataView): Entry | null {
  const isLittle = ascii(exif, 0, 2) === 'II';
  if (exif.getUint16(2, isLittle) !== 42) return null;
  const list = exif.getUint32(4, isLittle);
  const entries = exif.getUint16(list, isLittle);
  for (let n = 0; n < entries; n++) {
    const at = list + 2 + n * 12;
    if (exif.getUint16(at, isLittle) === 0x0112)
      return { value: exif.getUint16(at + 8, isLittle), at: part(exif, at + 8, 2), isLittle };
  }
  return null;
}

const part = (view: DataView, at: number, length: number): DataView =>
  new DataView(view.buffer, view.byteOffset + at, length);

const ascii = (view: DataView, at: number, length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, n) => view.getUint8(at + n)));
