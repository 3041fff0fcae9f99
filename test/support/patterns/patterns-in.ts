import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** A regular expression in the sources: as it is written, or where one is put together. */
export interface FoundPattern {
  /** From the repository's root. */
  readonly file: string;
  /** null: put together at run time. */
  readonly literal: { readonly source: string; readonly flags: string } | null;
}

/** Every regular expression of the TypeScript files below a folder, but of their tests. */
export function patternsIn(root: string, folder: string): FoundPattern[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => patternsOf(join(folder, file), readFileSync(join(root, folder, file), 'utf8')));
}

function patternsOf(file: string, text: string): FoundPattern[] {
  const found: FoundPattern[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isNode(node)) return;
    if (node.type === 'RegExpLiteral')
      found.push({ file, literal: { source: String(node.pattern), flags: String(node.flags) } });
    if (isNode(node.callee) && node.callee.value === 'RegExp') found.push({ file, literal: null });
    Object.values(node).forEach(visit);
  };
  visit(parseSync(text, { syntax: 'typescript', decorators: true, target: 'es2024' }));
  return found;
}

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
