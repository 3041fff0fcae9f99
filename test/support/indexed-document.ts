import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY, type ServiceProcess } from './service-process.js';

const LOOK_MS = 50;
const LOOKS = 400;

/**
 * Uploads a document and waits until it is indexed: mostly it is at once; of a service that has just started on a busy machine
 * it may take longer than its answer waits. Returns what the service then tells of it.
 */
export async function indexedDocument(
  service: ServiceProcess,
  datastore: string,
  { name, content }: { readonly name: string; readonly content: string },
): Promise<Readonly<Record<string, unknown>>> {
  const form = new FormData();
  form.append('datastore_id', datastore);
  form.append('file', new Blob([content]), name);
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const answer = await fetch(`${service.origin}/index-document`, { method: 'POST', headers, body: form });
  let body = (await answer.json()) as Record<string, unknown>;
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(body)}`);
  for (let n = 0; n < LOOKS && body['status'] === 'processing'; n += 1) {
    await sleep(LOOK_MS);
    body = (await service.client().get(`/documents/${String(body['document_id'])}`)).json();
  }
  if (body['status'] !== 'indexed') throw new Error(`${name} is ${JSON.stringify(body)}`);
  return body;
}
