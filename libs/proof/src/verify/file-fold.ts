import { toHex, utf8 } from '../bytes.js';
import { sha256 } from '../hashing.js';
import type { ExportEvent } from './export-lines.js';
import { shown } from './findings.js';
import { type NamedFile, filesNamedIn } from './named-files.js';

/** The files that the last event names, and that are yet to come behind it. */
export class FileFold {
  private revision: number | null = null;
  private readonly awaited = new Map<string, NamedFile[]>();
  private readonly come = new Set<string>();

  /** Begins an event. */
  begin({ revision, text = '' }: ExportEvent): void {
    this.revision = revision;
    this.awaited.clear();
    this.come.clear();
    for (const file of filesNamedIn(text)) {
      const files = this.awaited.get(file.name) ?? [];
      this.awaited.set(file.name, files);
      files.push(file);
    }
  }

  /** The event that a file line belongs to; null: it stands behind none. */
  get owner(): number | null {
    return this.revision;
  }

  /** What is wrong with a file line: `wrong`, or not to be checked (`unknown`); null: nothing. */
  push(name: string, text: string): { readonly is: 'wrong' | 'unknown'; readonly message: string } | null {
    const file = this.awaited.get(name)?.shift();
    if (file === undefined) return { is: 'wrong', message: `the event names no file ${shown(name)}` };
    this.come.add(name);
    const content = utf8(text);
    if (content.length !== file.bytes || (file.sha256 !== null && toHex(sha256(content)) !== file.sha256))
      return { is: 'wrong', message: `the file ${shown(name)} is not the one that the event names` };
    if (file.sha256 !== null) return null;
    return {
      is: 'unknown',
      message: `the file ${shown(name)} cannot be checked: an earlier version stored it`,
    };
  }

  /** The files that did not come. */
  missing(): readonly string[] {
    return [...this.awaited.keys()].filter((name) => !this.come.has(name));
  }
}
