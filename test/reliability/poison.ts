import { Dice } from './dice.js';
import { type ScriptStep, type ScriptedTurn, call, thinking } from '../support/scripted-model.js';
import type { Message } from '../support/service-client.js';
import { Theatre } from './theatre.js';
import type { RowReport, Verdict } from './verdict.js';

/** Texts that break what handles text carelessly. */
const BITS: readonly string[] = [
  '\u2028',
  '\u2029',
  '\u0085',
  '\u0001',
  '\u001b[31m',
  '\u007f',
  '\r\n',
  '\r',
  '\n\n',
  '\n',
  '\t',
  ' ',
  'data: x\n\nid: 1\n',
  'id: 9',
  ': comment',
  'event: end\n',
  '👩‍👩‍👧',
  '🏳️‍🌈',
  'e\u0301',
  '\u202e',
  '\ufeff',
  '\uffff',
  '\u{10ffff}',
  '\u200d',
  'ﷺ',
  '漢字',
  '"',
  '\\',
  '\\"',
  '\\u0000',
  '\\n',
  '{"$file":"',
  '{"$file":"x","bytes":1}',
  '</script>',
  '${x}',
  '%s',
  "';--",
  '[DONE]',
  '{',
  '}',
  '[[[[[[[[',
  'null',
  '__proto__',
  'constructor',
];
/** Around the limits of what an event holds itself, in bytes. */
const SIZES = [27_306, 27_307, 81_920, 163_839, 163_840, 163_841, 210_000];
const TURNS = 9;

/** What JSON text can hold and the service must refuse. */
const REFUSED = ['\u0000', 'a\u0000b', '\ud800', 'x\udfff', '\udc00\ud800'];

/** No usage: counted by their escapes, texts would fill the context, and the script goes by the turns that it is told. */
const sayUncounted = (...steps: ScriptStep[]): ScriptedTurn => ({ steps, usage: null });

/** F16: runs whose messages and answers are poison. Each text is read back by its stream, its history and its page. */
export async function poison(cases: number, seed: number): Promise<RowReport> {
  const theatre = await Theatre.open();
  try {
    const dice = new Dice(seed);
    const { client } = theatre.stage;
    const told: { expected: Message[]; session: string; history: readonly Message[] }[] = [];
    let done = 0;
    while (done < cases) {
      const plans = Array.from({ length: 8 }, () => new PoisonRun(dice));
      await Promise.all(
        plans.map(async (plan, n) => {
          const { message, turns } = plan;
          const sent = theatre.stage.book.on(`${message}#${done + n}`, ...turns);
          // The script has no turn for a summary.
          const body = { streaming_tokens: plan.isStreaming, compaction: false };
          const wish = await theatre.witness.run(sent, { body });
          const session = wish.answers[0]?.session ?? '';
          const expected = [{ type: 'user_message', content: sent }, ...plan.expected];
          told.push({ expected, session, history: await client.history(session) });
        }),
      );
      done += plans.length * (2 * TURNS + 1);
    }
    const refused = await refusals(theatre);
    const verdict = await theatre.audit();
    for (const { expected, session, history } of told) compare(session, history, expected, verdict);
    for (const text of refused) verdict.note(`a message ${JSON.stringify(text)} was not refused`);
    const line = `F16 ${done} poison texts in ${told.length} runs (seed ${seed}): ${verdict.line}`;
    return { faults: done, verdict, line };
  } finally {
    await theatre.close();
  }
}

function compare(
  session: string,
  history: readonly Message[],
  expected: readonly Message[],
  verdict: Verdict,
): void {
  for (const [n, { type, content }] of expected.entries()) {
    const at = history[n];
    if (at?.type === type && at.content === content) continue;
    return verdict.note(
      `${session}, message ${n}: ${JSON.stringify(at)?.slice(0, 120)} instead of ${JSON.stringify(content).slice(0, 120)}`,
    );
  }
  verdict.require(history.length === expected.length, () => `${session}: ${history.length} messages`);
}

/** One run: thinking and text in each turn, and a tool that nobody has, so that there is a next turn. */
class PoisonRun {
  readonly message: string;
  readonly turns: ScriptedTurn[];
  readonly expected: Message[] = [];
  readonly isStreaming: boolean;
  /** One long text a run: with more of them the model would not be told of its first turns. */
  private isLongToCome: boolean;

  constructor(private readonly dice: Dice) {
    this.isStreaming = dice.chance(50);
    this.isLongToCome = dice.chance(25);
    this.message = this.text();
    this.turns = Array.from({ length: TURNS }, (_, n) => this.turn(n));
  }

  private turn(n: number): ScriptedTurn {
    const thoughts = this.pieces();
    const text = this.pieces();
    this.expected.push(
      { type: 'agent_thinking', content: thoughts.join('') },
      { type: 'agent_response', content: text.join('') },
    );
    if (n === TURNS - 1) return sayUncounted(...thinking(...thoughts), ...text);
    // The calls of a turn stand in one event, so there is a limit to them: 160 KiB.
    const input = { text: this.text().slice(0, 10_000).toWellFormed() };
    this.expected.push({ type: 'agent_tool_use', content: JSON.stringify({ tool: 'nobody', input }) });
    return sayUncounted(...thinking(...thoughts), ...text, ...call(0, `call_${n}`, 'nobody', input));
  }

  private pieces(): string[] {
    return Array.from({ length: 1 + this.dice.below(3) }, () => this.text());
  }

  private text(): string {
    const { dice } = this;
    const bits = Array.from({ length: 1 + dice.below(6) }, () => dice.pick(BITS)).join('');
    if (!this.isLongToCome || !dice.chance(10)) return bits;
    this.isLongToCome = false;
    return bits.repeat(Math.ceil(dice.pick(SIZES) / Buffer.byteLength(bits)));
  }
}

/** Those of the texts that should have been refused and were not. */
async function refusals({ stage }: Theatre): Promise<string[]> {
  const taken: string[] = [];
  for (const text of REFUSED) {
    const answer = await stage.client.post('/', { message: text, background: true });
    if (answer.status !== 400) taken.push(text);
  }
  const deep = `{"message":"x","rules":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  if ((await stage.client.post('/', deep)).status !== 400) taken.push('100,000 nested arrays');
  const invalid = await new Promise<string>((resolve) => {
    const socket = stage.client.socket();
    let said = '';
    socket.setEncoding('latin1').on('data', (part: string) => (said += part));
    socket.on('close', () => resolve(said));
    const body = Buffer.from([...Buffer.from('{"message":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
    socket.write(`${stage.client.head('POST', '/', ...lines)}\r\n\r\n`);
    socket.write(body);
  });
  if (!invalid.startsWith('HTTP/1.1 400')) taken.push('invalid UTF-8');
  return taken;
}
