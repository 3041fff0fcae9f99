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
}

/** The names of a tool: what the model is offered, and what it is called where it comes from. */
export interface NamesOfTool {
  readonly offered: string;
  readonly own: string;
}

const STRICTNESS: Readonly<Record<ApprovalRule, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The rule for a tool. A pattern that is one of its names wins over one that fits it, then the longest wins, and among
 * equals the strictest.
 */
export function ruleFor(
  { default: other = 'allow', tools = {} }: ApprovalPolicy,
  names: NamesOfTool,
): ApprovalRule {
  let best: { readonly rank: number; readonly rule: ApprovalRule } | undefined;
  for (const [pattern, rule] of Object.entries(tools)) {
    const rank = rankOf(pattern, names);
    if (rank === null || (best !== undefined && rank < best.rank)) continue;
    if (best === undefined || rank > best.rank || STRICTNESS[rule] > STRICTNESS[best.rule])
      best = { rank, rule };
  }
  return best?.rule ?? other;
}

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
