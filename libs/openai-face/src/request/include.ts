import { unsupportedAt } from './fields.js';

/** What may be asked for besides: of the first there is nothing to answer, the others name tools that are not here. */
const INCLUDABLE: ReadonlySet<string> = new Set([
  'reasoning.encrypted_content',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
]);

/** @throws Problem unsupported_value */
export function requireIncludable(value: unknown, path: string): void {
  if (typeof value === 'string' && INCLUDABLE.has(value)) return;
  unsupportedAt(path, value);
}
