import type { Mode } from '#domain';
import type { ModelRequest } from './model-client.js';

export interface ModeSettings {
  readonly reasoningEffort: NonNullable<ModelRequest['reasoningEffort']>;
  /** Share of MAX_STEPS that a run may use. */
  readonly stepShare: number;
  readonly instructions: string;
}

/** What the three modes mean, besides the model that the settings name for each. */
export const MODES: Readonly<Record<Mode, ModeSettings>> = {
  flash: {
    reasoningEffort: 'low',
    stepShare: 0.4,
    instructions: 'Work fast: answer in few steps, and do not do more than was asked.',
  },
  base: {
    reasoningEffort: 'medium',
    stepShare: 1,
    instructions: 'Balance care and speed: use tools where they help, then answer.',
  },
  max: {
    reasoningEffort: 'high',
    stepShare: 1,
    instructions:
      'The task is hard: plan first, check intermediate results, and verify the answer before you give it.',
  },
};

/** Turns of the main agent that a run of this mode may take, at least 1. */
export const maxStepsOf = (mode: Mode, maxSteps: number): number =>
  Math.max(1, Math.floor(maxSteps * MODES[mode].stepShare));
