import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The files below a folder that hold one of the words, as `file: word`. Files that go away meanwhile are passed over. */
export async function filesWith(folder: string, words: readonly string[]): Promise<string[]> {
  const needles = words.flatMap((word) => [
    { word, bytes: Buffer.from(word) },
    { word, bytes: Buffer.from(Buffer.from(word).toString('base64').replace(/=+$/, '').slice(0, -1)) },
  ]);
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    for (const needle of needles)
      if (bytes.includes(needle.bytes)) found.push(`${relative(folder, path)}: ${needle.word}`);
  }
  return found;
}
