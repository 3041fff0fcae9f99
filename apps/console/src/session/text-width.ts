let canvas: CanvasRenderingContext2D | null = null;

/**
 * How wide words of the timeline are, in px, in the font that they are drawn in: which one that is only the system knows, and
 * a box that is made by the number of characters is too small for some.
 */
export function textWidth(words: string, font: '12px' | '600 12px' | '11px'): number {
  canvas ??= document.createElement('canvas').getContext('2d');
  if (canvas === null) return 0;
  canvas.font = `${font} ${getComputedStyle(document.documentElement).getPropertyValue('--sans')}`;
  return canvas.measureText(words).width;
}
