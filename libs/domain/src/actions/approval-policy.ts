/** What is done with a call of a tool: it is made, a person decides on it, or the tool is not offered at all. */
export type ApprovalRule = 'allow' | 'ask' | 'deny';

/** Who may approve: any key with the scope, or none of those that started or steered the run. */
export type Approvers = 'anyone' | 'another_key';

/** Which calls of a run wait for a person, as its request says. */
export interface ApprovalPolicy {
  readonly default?: ApprovalRule;
  /** By pattern: `*` stands for any characters, also none. */
  readonly tools?: Readonly<Record<string, ApprovalRule>>;
  readonly by?: Approvers;
  /** Seconds, for every action of the run. */
  readonly expires_s?: number;
  /** By name of a tool server: what is said of its tools there counts, and nothing else. */
  readonly servers?: Readonly<Record<string, ServerPolicy>>;
}

/** Tools of a server; of both, those that are in both. */
export interface ToolFilter {
  /** Own names. */
  readonly tools?: readonly string[];
  /** Those of which the server says that they only read, or the others. */
  readonly read_only?: boolean;
}

export interface ServerPolicy {
  /** Absent: all are offered. */
  readonly offered?: ToolFilter;
  /** Calls of these need nobody, all else asks. */
  readonly free: ToolFilter | 'all' | 'none';
}

/** The names of a tool: what the model is offered, and what it is called where it comes from. */
export interface NamesOfTool {
  readonly offered: string;
  readonly own: string;
  /** Of a tool of a server. */
  readonly server?: string;
  readonly isReadOnly?: boolean;
}

const STRICTNESS: Readonly<Record<ApprovalRule, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The rule for a tool. A pattern that is one of its names wins over one that fits it, then the longest wins, and among
 * equals the strictest.
 */
export function ruleFor(
  { default: other = 'allow', tools = {}, servers = {} }: ApprovalPolicy,
  names: NamesOfTool,
): ApprovalRule {
  const { server } = names;
  const ofServer = server !== undefined && Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (ofServer !== undefined) return ruleOfServer(ofServer, names);
  let best: { readonly rank: number; readonly rule: ApprovalRule } | undefined;
  for (const [pattern, rule] of Object.entries(tools)) {
    const rank = rankOf(pattern, names);
    if (rank === null || (best !== undefined && rank < best.rank)) continue;
    if (best === undefined || rank > best.rank || STRICTNESS[rule] > STRICTNESS[best.rule])
      best = { rank, rule };
  }
  return best?.rule ?? other;
}

function ruleOfServer({ offered, free }: ServerPolicy, names: NamesOfTool): ApprovalRule {
  if (offered !== undefined && !holds(offered, names)) return 'deny';
  return isFree(free, names) ? 'allow' : 'ask';
}

/** A filter without a condition names no tool, and releases none; as a limit of what is offered it is none. */
function isFree(free: ServerPolicy['free'], names: NamesOfTool): boolean {
  if (typeof free === 'string') return free === 'all';
  return (free.tools !== undefined || free.read_only !== undefined) && holds(free, names);
}

const holds = ({ tools, read_only: isReadOnly }: ToolFilter, names: NamesOfTool): boolean =>
  (tools === undefined || tools.includes(names.own)) &&
  (isReadOnly === undefined || isReadOnly === (names.isReadOnly ?? false));

/** The more, the closer; null: it does not fit. */
function rankOf(pattern: string, { offered, own }: NamesOfTool): number | null {
  if (pattern === offered || pattern === own) return Infinity;
  return fits(pattern, offered) || fits(pattern, own) ? pattern.length : null;
}

/** Piece by piece from the left, each at its first place: linear, whatever the pattern. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
