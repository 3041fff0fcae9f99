export type ImageKind = 'png' | 'jpeg' | 'webp';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Width and height of an image, read from its header before anything is unpacked; null: it has none. */
export function imageSizeOf(kind: ImageKind, bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (kind === 'png') return { width: view.getUint32(16), height: view.getUint32(20) };
    return kind === 'jpeg' ? jpegSize(view) : webpSize(view);
  } catch {
    // The header is cut off.
    return null;
  }
}

/** ITU-T T.81: segments with their length until the one that starts a frame (SOF). */
function jpegSize(view: DataView): Size | null {
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else if (marker === 0xd9 || marker === 0xda) return null;
    else at += 2 + (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7) ? 0 : view.getUint16(at + 2));
  }
}

/** RFC 9649: lossy (VP8), lossless (VP8L), extended (VP8X). */
function webpSize(view: DataView): Size | null {
  const format = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  if (format === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (format === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (format !== 'VP8X') return null;
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  return { width: uint24(24) + 1, height: uint24(27) + 1 };
}
