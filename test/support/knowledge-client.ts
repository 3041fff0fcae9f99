import { requireDescribed } from './api-contract.js';

export type Json = Record<string, unknown> & { readonly items?: readonly Record<string, unknown>[] };

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Speaks to the datastores of one project. */
export class KnowledgeClient {
  constructor(
    private readonly origin: () => string,
    project = 'one',
    private readonly key = `key-of-${project}`,
  ) {}

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isForm = body instanceof FormData || body instanceof Uint8Array;
    const answer = await fetch(this.origin() + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? (body as FormData) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    requireDescribed({ method, path, status: answer.status, headers: answer.headers, text });
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
  }

  /** A new datastore's id. */
  async documents(name = 'docs'): Promise<string> {
    const { body } = await this.ask('POST', '/create-datastore', { name, type: 'documents' });
    return String(body['datastore_id']);
  }

  upload(
    datastore: string,
    filename: string,
    content: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const form = new FormData();
    form.append('datastore_id', datastore);
    form.append('file', new Blob([Buffer.from(content)]), filename);
    return this.ask('POST', '/index-document', form, headers);
  }

  async search(datastore: string, query: string, limit = 5): Promise<readonly Record<string, unknown>[]> {
    const { body } = await this.ask('POST', `/datastores/${datastore}/search`, { query, limit });
    return body.items ?? [];
  }
}
