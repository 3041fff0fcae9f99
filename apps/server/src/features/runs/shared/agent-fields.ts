import { ArrayMaxSize, IsArray } from 'class-validator';
import type { Mode } from '#domain';
import { IsText, MayBeOmitted, all } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';

/** Constraints of an agent, at most 100; may be left out. */
export const RuleList = (): PropertyDecorator =>
  all(MayBeOmitted(), IsArray(), ArrayMaxSize(100), IsText(LENGTHS.rule, { each: true }));

/** `fast` is an old name of `base`. */
export const modeOf = (sent: Mode | 'fast'): Mode => (sent === 'fast' ? 'base' : sent);
