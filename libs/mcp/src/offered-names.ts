import { createHash } from 'node:crypto';

const maxLength = 64;
const minPrefix = 3;

export interface NamedTool {
  readonly serverName: string;
  /** What tells servers apart, also two of the same name. */
  readonly server: number;
  readonly name: string;
}

/**
 * The names under which tools are offered to the model: the tool's own where the model's API takes it and nobody else has
 * it, otherwise with the server's name before it. Owns every name that was ever given: a tool keeps its name, and no other
 * gets it, because earlier turns tell of it.
 */
export class OfferedNames {
  private readonly given = new Map<string, string>();
  private readonly taken: Set<string>;

  constructor(reserved: ReadonlySet<string>) {
    this.taken = new Set(reserved);
  }

  /** A name for each, in the same order; the same tools in the same order always have the same names. */
  assign(tools: readonly NamedTool[]): string[] {
    const isNew = (tool: NamedTool) => !this.given.has(keyOf(tool));
    const counts = new Map<string, number>();
    for (const tool of tools.filter(isNew)) {
      const plain = allowed(tool.name);
      counts.set(plain, (counts.get(plain) ?? 0) + 1);
    }
    return tools.map((tool) => {
      const known = this.given.get(keyOf(tool));
      if (known !== undefined) return known;
      const plain = allowed(tool.name);
      const isAlone = counts.get(plain) === 1 && plain === tool.name && plain.length <= maxLength;
      const name = this.free(isAlone && !this.taken.has(plain) ? plain : prefixed(tool.serverName, plain));
      this.taken.add(name);
      this.given.set(keyOf(tool), name);
      return name;
    });
  }

  private free(name: string): string {
    if (!this.taken.has(name)) return name;
    for (let n = 2; ; n++) {
      const suffix = `_${n}`;
      const next = name.slice(0, maxLength - suffix.length) + suffix;
      if (!this.taken.has(next)) return next;
    }
  }
}

/** The server's name gives way first: the tool's own says more. */
function prefixed(serverName: string, tool: string): string {
  const server = allowed(serverName);
  const room = maxLength - tool.length - 1;
  if (room >= Math.min(server.length, minPrefix)) return `${server.slice(0, room)}_${tool}`;
  if (tool.length <= maxLength) return tool;
  const mark = createHash('sha256').update(`${serverName}\n${tool}`).digest('hex').slice(0, 8);
  return `${tool.slice(0, maxLength - mark.length - 1)}_${mark}`;
}

/** What Chat Completions takes in the name of a function. */
const allowed = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, '_');

const keyOf = ({ server, name }: NamedTool): string => `${server}\n${name}`;
