import { type ModelClient } from '#agent';
import { OpenAiModelClient } from '#openai-model';
import { startDemoModel } from '#demo-model';
import { FairSemaphore, type Settings, closeInOrder } from '#platform';

/** The demo model has one name, and costs nothing. */
export const modelsOf = ({ openai, models }: Settings): Settings['models'] =>
  openai === null ? { flash: 'demo', base: 'demo', max: 'demo' } : models;

export interface OpenModel {
  readonly client: ModelClient;
  close(): Promise<void>;
}

/** The model that the settings name, or the built-in demo. */
export async function openModel(settings: Settings): Promise<OpenModel> {
  const { openai, modelConcurrency, modelTimeoutMs: timeoutMs } = settings;
  if (openai !== null) {
    const turns = modelConcurrency === null ? {} : { turns: new FairSemaphore({ room: modelConcurrency }) };
    const { baseUrl, apiKey } = openai;
    const client = new OpenAiModelClient({ baseUrl, apiKey: apiKey ?? '', timeoutMs, ...turns });
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
