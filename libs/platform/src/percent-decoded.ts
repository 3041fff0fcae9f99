/** A text in percent encoding as its author meant it; as it is where it is not properly encoded. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
