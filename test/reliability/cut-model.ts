import { type ScriptedAnswer, call, say, thinking } from '../support/scripted-model.js';
import { rested } from './rested.js';
import { Theatre } from './theatre.js';
import type { RowReport } from './verdict.js';

/** A short answer with everything that an answer can hold. */
const ANSWER: ScriptedAnswer = {
  ...say(...thinking('é'), 'Hi 👋', ...call(0, 'c', 'lookup', { q: 'ü' })),
  newline: '\n',
};
/** As long as the answer on the wire, and some more: cuts behind its end do nothing. */
const MOST_BYTES = 4_000;

/** F13: the model's answer is lost after each of its bytes, by turns with a FIN and an RST; then it answers as it should. */
export async function cutModel(step: number): Promise<RowReport> {
  const theatre = await Theatre.open();
  try {
    const { book, client, model } = theatre.stage;
    const bytes = await lengthOnTheWire(theatre);
    const cuts = Array.from({ length: Math.ceil(bytes / step) }, (_, n) => n * step);
    await Promise.all(
      cuts.map(async (at) => {
        const message = book.on(
          `byte ${at}`,
          (attempt) =>
            attempt > 0 ? ANSWER : { ...ANSWER, cutAfterBytes: at, cutBy: at % 2 === 0 ? 'fin' : 'rst' },
          say('Done.'),
        );
        await theatre.witness.run(message, { body: { streaming_tokens: at % 3 !== 0 } });
      }),
    );
    const open = await rested(client);
    const lost = model.requests.filter(({ outcome }) => outcome === 'lost').length;
    const runs = await client.all<{ status: string; run_id: string; session: string }>('/runs');
    const histories = await Promise.all(runs.map(({ session }) => client.history(session)));
    const verdict = await theatre.audit();
    verdict.require(open === null, () => String(open));
    for (const { run_id, status } of runs)
      verdict.require(status === 'completed', () => `${run_id} is ${status}`);
    for (const history of histories)
      verdict.require(history.at(-1)?.content === 'Done.', () => JSON.stringify(history));
    const line = `F13 ${lost} answers of the model cut, at each ${step === 1 ? '' : `${step}th `}byte of ${bytes}: ${verdict.line}`;
    return { faults: lost, verdict, line };
  } finally {
    await theatre.close();
  }
}

async function lengthOnTheWire({ stage }: Theatre): Promise<number> {
  const response = await fetch(`${stage.model.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'scripted',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: stage.book.on('measured', ANSWER) }],
    }),
  });
  return Math.min(MOST_BYTES, (await response.arrayBuffer()).byteLength);
}
