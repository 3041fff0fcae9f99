import { type ModelClient, OpenAiModelClient } from '#agent';
import { startDemoModel } from '#demo-model';
import { type Settings, closeInOrder } from '#platform';

/** The demo model has one name, and costs nothing. */
export const modelsOf = ({ openai, models }: Settings): Settings['models'] =>
  openai === null ? { flash: 'demo', base: 'demo', max: 'demo' } : models;

export interface OpenModel {
  readonly client: ModelClient;
  close(): Promise<void>;
}

/** The model that the settings name, or the built-in demo. */
export async function openModel({ openai }: Settings): Promise<OpenModel> {
  if (openai !== null) {
    const client = new OpenAiModelClient({ baseUrl: openai.baseUrl, apiKey: openai.apiKey ?? '' });
    return { client, close: () => client.close() };
  }
  const demo = await startDemoModel();
  const client = new OpenAiModelClient({ baseUrl: demo.url, apiKey: '' });
  const close = (): Promise<void> =>
    closeInOrder(
      () => client.close(),
      () => demo.close(),
    );
  return { client, close };
}
