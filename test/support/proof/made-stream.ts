import { concat, eventHash, linkOf, sha256, tagOf, toHex, u64, utf8 } from '#proof';
import type { Draft } from './story.js';

/** An event with all that an export says of it, and its hash and link. */
export interface MadeEvent extends Draft {
  readonly revision: number;
  readonly id: string;
  readonly commitment: string;
  readonly prev: string;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
  readonly link: Uint8Array;
}

/** A stream as it is appended to: makes `prev` the long way, from all hashes, as docs/log-format.md says it. */
export class MadeStream {
  readonly events: MadeEvent[] = [];
  readonly tag: Uint8Array;
  private readonly key: Uint8Array;

  constructor(readonly name: string) {
    this.tag = tagOf(name);
    this.key = sha256(utf8(`key of ${name}`));
  }

  get last(): MadeEvent {
    const last = this.events.at(-1);
    if (last === undefined) throw new Error(`${this.name} is empty`);
    return last;
  }

  append(draft: Draft): MadeEvent {
    const revision = this.events.length;
    const id = this.idOf(revision);
    const key = draft.isOpen === true ? new Uint8Array() : this.key;
    const salt = sha256(concat(key, utf8('open'), utf8(id)));
    const commitment = toHex(sha256(salt, utf8(draft.text)));
    const prev = draft.isCommand === true ? '' : this.prev();
    const hash = eventHash({
      ...draft,
      revision,
      id,
      schemaVersion: 1,
      project: 'default',
      actor: draft.actor ?? 'key_1',
      commitment,
      prev,
    });
    const link = linkOf(this.events.at(-1)?.link ?? this.tag, hash);
    const event = { ...draft, revision, id, commitment, prev, salt, hash, link };
    this.events.push(event);
    return event;
  }

  private prev(): string {
    const at = this.events.findLastIndex(({ prev }) => prev !== '');
    const before = at < 0 ? toHex(this.tag) : toHex(this.events[at]!.hash);
    const without = this.events.slice(at + 1).map(({ hash }) => toHex(hash));
    return without.length === 0 ? before : toHex(sha256(utf8(JSON.stringify([before, ...without]))));
  }

  private idOf(revision: number): string {
    const x = toHex(sha256(this.tag, u64(revision)));
    return `${x.slice(0, 8)}-${x.slice(8, 12)}-4${x.slice(13, 16)}-8${x.slice(17, 20)}-${x.slice(20, 32)}`;
  }
}

/** The stream that drafts make. */
export function streamOf(name: string, drafts: readonly Draft[]): MadeStream {
  const stream = new MadeStream(name);
  for (const draft of drafts) if (draft.stream === name) stream.append(draft);
  return stream;
}
