import { toHex } from './bytes.js';
import { LOG_KEY, type NoteKey, WITNESS_KEY, parseKey } from './notes.js';

/** Who is believed (https://c2sp.org/tlog-policy): keys of logs, witnesses, and how many of these there must be. */
export interface Policy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: ReadonlyMap<string, PolicyGroup>;
  /** Name of a witness or group; null: none is needed. */
  readonly quorum: string | null;
}

export interface PolicyLog {
  readonly key: NoteKey;
  readonly url: string | null;
}

export interface PolicyWitness extends PolicyLog {
  /** By which the policy calls it. */
  readonly name: string;
}

export interface PolicyGroup {
  readonly needed: number;
  readonly members: readonly string[];
}

/** A policy that says nothing, or something else: names the line. */
export class PolicyRefused extends Error {
  override readonly name = 'PolicyRefused';
}

// eslint-disable-next-line no-control-regex -- tabs and line feeds are all that the format allows
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;
/** What a reader of UTF-8 puts in the place of octets that are none. */
const UNREADABLE = '\ufffd';

/**
 * @param text read as UTF-8, with U+FFFD for octets that are none: a comment may hold them
 * @throws PolicyRefused
 */
export function parsePolicy(text: string): Policy {
  const reader = new PolicyReader();
  for (const [at, line] of text.split('\n').entries()) {
    const fault = CONTROL.test(line) ? 'it has a control character' : reader.read(wordsOf(line));
    if (fault !== null) throw new PolicyRefused(`line ${at + 1}: ${fault}`);
  }
  return reader.policy;
}

/** Blanks and tabs alone divide them. */
const wordsOf = (line: string): readonly string[] => line.split(/[ \t]+/).filter((word) => word !== '');

class PolicyReader {
  private readonly logs: PolicyLog[] = [];
  private readonly witnesses: PolicyWitness[] = [];
  private readonly groups = new Map<string, PolicyGroup>();
  private readonly keys = new Set<string>();
  private readonly names = new Set(['none']);
  /** Names that a group has. */
  private readonly taken = new Set<string>();
  private quorum: string | null | undefined;

  get policy(): Policy {
    if (this.quorum === undefined) throw new PolicyRefused('there is no quorum line');
    const { logs, witnesses, groups, quorum } = this;
    return { logs, witnesses, groups, quorum };
  }

  /** What is wrong with a line; null: nothing. */
  read([word, ...rest]: readonly string[]): string | null {
    if (word === undefined || word.startsWith('#')) return null;
    if (rest.some((one) => one.includes(UNREADABLE))) return 'it is not UTF-8';
    if (word === 'log') return this.readLog(rest);
    if (word === 'witness') return this.readWitness(rest);
    if (word === 'group') return this.readGroup(rest);
    if (word === 'quorum') return this.readQuorum(rest);
    return `${word} is not known`;
  }

  private readLog([vkey = '', url, ...more]: readonly string[]): string | null {
    const key = this.keyOf(vkey, LOG_KEY);
    if (typeof key === 'string' || more.length > 0)
      return typeof key === 'string' ? key : 'it has too many words';
    this.logs.push({ key, url: url ?? null });
    return null;
  }

  private readWitness([name = '', vkey = '', url, ...more]: readonly string[]): string | null {
    const key = this.keyOf(vkey, WITNESS_KEY);
    if (typeof key === 'string' || more.length > 0)
      return typeof key === 'string' ? key : 'it has too many words';
    if (this.names.has(name)) return `the name ${name} is taken`;
    this.names.add(name);
    this.witnesses.push({ name, key, url: url ?? null });
    return null;
  }

  private readGroup([name = '', count = '', ...members]: readonly string[]): string | null {
    if (name === '' || this.names.has(name)) return `the name ${name} is taken`;
    const unknown = members.find((member) => member === 'none' || !this.names.has(member));
    if (unknown !== undefined) return `${unknown} is not known before this line`;
    if (members.length === 0 || new Set(members).size < members.length)
      return 'its members are none, or doubled';
    // In two ways one witness would count twice.
    const elsewhere = members.find((member) => this.taken.has(member));
    if (elsewhere !== undefined) return `${elsewhere} is in another group`;
    const needed =
      count === 'all'
        ? members.length
        : count === 'any'
          ? 1
          : /^[1-9]\d{0,5}$/.test(count)
            ? Number(count)
            : 0;
    if (needed < 1 || needed > members.length) return `${count} is not a number of its members`;
    this.names.add(name);
    for (const member of members) this.taken.add(member);
    this.groups.set(name, { needed, members });
    return null;
  }

  private readQuorum([name = '', ...more]: readonly string[]): string | null {
    if (this.quorum !== undefined) return 'there is a quorum line already';
    if (more.length > 0 || !this.names.has(name)) return `${name} is not known before this line`;
    this.quorum = name === 'none' ? null : name;
    return null;
  }

  private keyOf(vkey: string, kind: number): NoteKey | string {
    const key = parseKey(vkey);
    if (key === null) return 'its key is none, or has another id';
    if (key.kind !== kind) return 'its key is of another type';
    // Under other names it is the same key: whoever has it would count twice.
    const id = `${kind} ${toHex(key.publicKey)}`;
    if (this.keys.has(id)) return 'its key is there already';
    this.keys.add(id);
    return key;
  }
}

/** Whether the witnesses that have cosigned are enough. @param cosigned by the policy's names */
export function hasQuorum({ groups, quorum }: Policy, cosigned: ReadonlySet<string>): boolean {
  const met = new Set(cosigned);
  // A group names what stands before it alone.
  for (const [name, { needed, members }] of groups)
    if (members.filter((member) => met.has(member)).length >= needed) met.add(name);
  return quorum === null || met.has(quorum);
}
