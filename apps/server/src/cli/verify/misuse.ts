import { jsonOf, unusable } from '#proof';

/** A command line that means nothing, as a program is told of it that has asked for JSON. */
export const misuseJson = (message: string): string => jsonOf(unusable('arguments', message));
