import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FixtureOptions } from './mcp-fixture.js';

/** The part of a request that tests look at. */
export interface RpcMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}
/** How a server that lies answers one request. */
export type RawAnswer = (response: ServerResponse, message: RpcMessage, request: IncomingMessage) => void;

/** Answers these methods of JSON-RPC, or of HTTP where there is no body, by itself. */
export const answering = (
  answers: Readonly<Record<string, RawAnswer>>,
): Pick<FixtureOptions, 'intercept'> => ({
  intercept: (request, response, body) => {
    const message = body === '' ? {} : (JSON.parse(body) as RpcMessage);
    const answer = answers[message.method ?? String(request.method)];
    answer?.(response, message, request);
    return answer !== undefined;
  },
});
export const json =
  (status: number, value: object): RawAnswer =>
  (response, { id }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...value }));
  };
export const error = (status: number, code: number, message: string, data?: object): RawAnswer =>
  json(status, { error: { code, message, data } });
export const plain =
  (status: number, text = ''): RawAnswer =>
  (response) =>
    void response.writeHead(status).end(text);
