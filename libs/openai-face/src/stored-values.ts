import { type Content, type RunConfig, isFileRef } from '#domain';
import { textOf } from './given-view.js';

/** The settings of a run; none where they have not been read. */
export const configOf = (config: RunConfig | Content | object): RunConfig =>
  typeof config === 'string' || isFileRef(config) ? {} : config;

/** What a JSON text says. */
export function parsed<T extends object>(content: Content): T {
  const text = textOf(content);
  return (text === '' ? {} : JSON.parse(text)) as T;
}

/** The arguments with which a call was released, where they are others; undefined: as the model wrote them. */
export const changedInput = (content: Content): unknown =>
  parsed<{ readonly input?: unknown }>(content).input;
