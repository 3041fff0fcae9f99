/** Long enough for a browser to have begun: it reads the content on its own. */
const KEPT_MS = 60_000;

/** Has the browser save a content under a name. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
