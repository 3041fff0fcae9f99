import { ABOUT_FORMAT, ABOUT_TOOL, type ModelFailure, type ModelRequest } from '#agent';
import { schemaKey } from './plain-tools.js';
import { type Refused, lessonOf } from './refusals.js';
import { AS_MEANT, type RequestForm, withMore } from './request-form.js';
import type { SentMessage } from './sent-message.js';
import { isAboutSchemas } from './tool-refusals.js';

const maxForms = 3000;
/** About who asks, how often and for which model: not about how it is asked. */
const notOfForm = new Set([401, 402, 403, 408, 409, 429]);

/** What comes of a refusal. `again`: ask in the form that is known now; `search`: it is the schema of a tool, and not said which. */
export type Learnt = 'again' | 'search' | 'refused_output' | 'nothing';

type Asker = Pick<ModelRequest, 'model' | 'omit' | 'project'>;

/**
 * How requests must be written for a server and model, learnt from its rejections (e.g. parameters to omit), so that
 * later requests avoid them. Kept for each project: an error may repeat what a caller sent, and must not decide for
 * others. In memory; the 3,000 most recently changed entries at most.
 */
export class ServerMemory {
  private readonly forms = new Map<string, RequestForm>();

  /** How a request is written: as the model wants it, and without what is not to be sent. */
  formOf(request: Asker): RequestForm {
    const { omit = [] } = request;
    const form = this.known(request);
    return omit.length === 0 ? form : { ...form, omit: withMore(form.omit, ...omit) };
  }

  change(request: Asker, change: Partial<RequestForm>): void {
    const key = keyOf(request);
    const form = { ...this.known(request), ...change };
    this.forms.delete(key);
    this.forms.set(key, form);
    const [oldest] = this.forms.keys();
    if (this.forms.size > maxForms && oldest !== undefined) this.forms.delete(oldest);
  }

  private known(request: Asker): RequestForm {
    return this.forms.get(keyOf(request)) ?? AS_MEANT;
  }

  /** Learns from a refusal of a request that was written in `form`, with these messages. */
  learn(
    request: ModelRequest,
    form: RequestForm,
    messages: readonly SentMessage[],
    failure: ModelFailure,
  ): Learnt {
    const refused = refusedBy(request, form, messages, failure);
    if (refused === null) return 'nothing';
    const change = lessonOf(refused);
    if (change !== null) {
      const { omit, ...others } = change;
      // Not for good what only this request is not to have.
      const own =
        omit === undefined ? {} : { omit: withMore(this.known(request).omit, ...added(omit, form)) };
      this.change(request, { ...others, ...own });
      return 'again';
    }
    if (isAboutSchemas(request, refused.words)) return 'search';
    const output = outputKey(request);
    if (output === null || !isAboutOutput(request, refused.message)) return 'nothing';
    this.change(request, { refused: withMore(this.known(request).refused, output) });
    return 'refused_output';
  }
}

const keyOf = ({ model, project = '' }: Asker): string => `${project} ${model}`;

const added = <T>(all: ReadonlySet<T>, { omit }: RequestForm) =>
  [...all].filter((name) => !omit.has(name as never));

/** Whether a server may not take how it was asked. */
export const isAboutForm = ({ kind, said }: ModelFailure): boolean =>
  said !== undefined && kind !== 'too_long' && !notOfForm.has(said.status) && said.status < 502;

/** What is said of how it was asked, or null. */
function refusedBy(
  request: ModelRequest,
  form: RequestForm,
  messages: readonly SentMessage[],
  failure: ModelFailure,
): Refused | null {
  const { said } = failure;
  if (said === undefined || !isAboutForm(failure)) return null;
  const { message, code, param } = said.words;
  return { request, form, messages, message, words: `${param} ${code} ${message}`.slice(0, 16_000) };
}

const isAboutOutput = ({ responseFormat }: ModelRequest, message: string): boolean =>
  (responseFormat === undefined ? ABOUT_TOOL : ABOUT_FORMAT).test(message);

/** Which form of output a request wants of which schema; null: none. */
export function outputKey({ responseFormat, forcedTool, tools }: ModelRequest): string | null {
  if (responseFormat !== undefined) return `format ${schemaKey(responseFormat.schema)}`;
  const tool = forcedTool === undefined ? undefined : tools.find(({ name }) => name === forcedTool);
  return tool === undefined ? null : `tool ${schemaKey(tool.parameters)}`;
}
