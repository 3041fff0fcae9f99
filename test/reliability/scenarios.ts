import type { BookTurn } from '../support/script-book.js';
import {
  type ScriptStep,
  type ScriptedTurn,
  call,
  delay,
  refusal,
  thinking,
} from '../support/scripted-model.js';

/** One turn of the model, as it stands on the log in the end. */
export interface TurnPlan {
  readonly thinking?: readonly string[];
  readonly text?: readonly string[];
  /** Names of tools, which nobody has. */
  readonly calls?: readonly string[];
  /** Milliseconds between the pieces. */
  readonly paceMs?: number;
  /** What happens to the first request for it: its connection is cut in the middle, or it is refused for now. */
  readonly firstFails?: 'cut' | 'status';
  /** The model refuses for good. */
  readonly isRefused?: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly streaming: boolean;
  readonly turns: readonly TurnPlan[];
}

const WORDS = ['The', ' quick', ' brown', ' fox', ' jumps', ' over', ' the', ' lazy', ' dog', '.'];
const POISON = ['\u2028', ' 👩‍👩‍👧 ', '"\\', '\n\n', '\ttab', ' \u0001 '];

/** The runs that are killed. Each name is the first word of the messages of its runs. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'plain', streaming: false, turns: [{ text: ['6 x 7', ' is', ' 42.'] }] },
  { name: 'pieces', streaming: true, turns: [{ text: WORDS, paceMs: 3 }] },
  {
    name: 'thinking',
    streaming: true,
    turns: [{ thinking: ['Hmm', ', so'], text: WORDS.slice(0, 4), paceMs: 3 }],
  },
  {
    name: 'tools',
    streaming: false,
    turns: [{ text: ['Looking.'], calls: ['lookup', 'other'] }, { text: WORDS }],
  },
  {
    name: 'turns',
    streaming: true,
    turns: [
      { thinking: ['first'], calls: ['a'] },
      { text: ['second'], calls: ['b', 'c'], paceMs: 2 },
      { calls: ['d'] },
      { thinking: ['then'], text: POISON, paceMs: 2 },
    ],
  },
  { name: 'large', streaming: false, turns: [{ text: ['x'.repeat(200_000), 'é'.repeat(100_000)] }] },
  { name: 'cut', streaming: true, turns: [{ text: WORDS, firstFails: 'cut', paceMs: 2 }] },
  { name: 'overloaded', streaming: false, turns: [{ text: ['At last.'], firstFails: 'status' }] },
  { name: 'refused', streaming: false, turns: [{ text: ['Wait.'], calls: ['a'] }, { isRefused: true }] },
  { name: 'silent', streaming: false, turns: [{}] },
  {
    name: 'long',
    streaming: true,
    turns: [
      { thinking: WORDS, text: [...WORDS, ...WORDS, ...WORDS, ...WORDS], paceMs: 20 },
      { text: WORDS, paceMs: 20 },
    ],
  },
];

/** The scenario of a message. */
export const scenarioOf = (message: string): Scenario | undefined =>
  SCENARIOS.find(({ name }) => message.startsWith(`${name} `));

/** What the model says in a run with this message. */
export const turnsOf = (message: string): readonly BookTurn[] | undefined =>
  scenarioOf(message)?.turns.map(bookTurn);

function bookTurn(plan: TurnPlan): BookTurn {
  const steps = stepsOf(plan);
  if (plan.isRefused) return refusal(400, 'No.');
  return (attempt): ScriptedTurn => {
    if (attempt > 0 || plan.firstFails === undefined) return { steps };
    if (plan.firstFails === 'status') return refusal(503, 'Later.', { headers: { 'retry-after-ms': '10' } });
    return { steps: [...steps.slice(0, Math.ceil(steps.length / 2)), { kind: 'cut' }] };
  };
}

function stepsOf({ thinking: thoughts = [], text = [], calls = [], paceMs = 0 }: TurnPlan): ScriptStep[] {
  const pieces = [...thinking(...thoughts), ...text];
  const paced = paceMs === 0 ? pieces : pieces.flatMap((piece) => [piece, delay(paceMs)]);
  return [...paced, ...calls.flatMap((name, n) => call(n, `call_${n}`, name, { key: `${name} ${n}` }))];
}
