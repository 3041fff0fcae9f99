import { readFile } from 'node:fs/promises';
import type { Block } from '../passage.js';
import { decodeText } from './decode.js';
import { kindOf } from './kinds.js';
import { readPlainText } from './plain-text.js';
import { unprocessable, unsupported } from './unreadable-file.js';

/** The blocks of a file. @throws UnreadableFile */
export async function* readBlocks(path: string): AsyncGenerator<Block> {
  const bytes = await readFile(path);
  if (bytes.length === 0) throw unprocessable('the file is empty');
  const kind = kindOf(bytes);
  if (kind === 'text') yield* readPlainText(decodeText(bytes));
  else throw unsupported('the format is not supported');
}
