import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, finishReasonOf, piecesOf, usageOf } from './answer.js';
import { type ChatExchange, type ChatServer, sendJson, startChatServer } from './chat-server.js';
import { type AnswerPiece, ChunkWriter } from './chunks.js';

export interface DemoModelOptions {
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** Between two words; 0 writes as fast as the client reads. */
  readonly paceMs?: number;
}

/** An offline, deterministic model behind OpenAI's Chat Completions interface; any API key will do. */
export function startDemoModel(options: DemoModelOptions = {}): Promise<ChatServer> {
  const paceMs = options.paceMs ?? 15;
  let asked = 0;
  return startChatServer({
    ...options,
    models: ['demo'],
    answer: (exchange) => answer(exchange, paceMs, `chatcmpl-demo-${++asked}`),
  });
}

async function answer(exchange: ChatExchange, paceMs: number, id: string): Promise<void> {
  const { request, response } = exchange;
  const answer = answerTo(request);
  const pieces = piecesOf(answer, request);
  const usage = usageOf(request, pieces);
  const chunks = new ChunkWriter(id, request.model);
  if (request.stream !== true)
    return sendJson(response, 200, chunks.whole(pieces, finishReasonOf(answer), usage));
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  const send = (data: string) => response.write(`data: ${data}\n\n`);
  send(chunks.role());
  await writePaced(exchange, pieces, paceMs, (piece) => send(chunks.piece(piece)));
  if (exchange.gone.aborted) return;
  send(chunks.finish(finishReasonOf(answer)));
  if (request.stream_options?.include_usage === true) send(chunks.usage(usage));
  response.end(`data: ${chunks.done}\n\n`);
}

/** Stops quietly when the client goes away. */
async function writePaced(
  exchange: ChatExchange,
  pieces: readonly AnswerPiece[],
  paceMs: number,
  write: (piece: AnswerPiece) => boolean,
): Promise<void> {
  for (const piece of pieces) {
    if (exchange.gone.aborted) return;
    const isTaken = write(piece);
    if (!isTaken) await drained(exchange);
    if (paceMs > 0 && piece.kind !== 'call')
      await sleep(paceMs, undefined, { signal: exchange.gone }).catch(() => {});
  }
}

/** Waits until the client has read, or is gone. */
const drained = ({ response }: ChatExchange): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
