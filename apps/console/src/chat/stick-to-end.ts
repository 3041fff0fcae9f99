import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Nearer than this to the end somebody reads the newest. */
const NEAR_PX = 120;

const isAtEnd = (): boolean => {
  const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
  return scrollHeight - clientHeight - scrollTop < NEAR_PX;
};

/**
 * Keeps the end of the page in sight for whoever was there; others read on where they are.
 * @param shown another one whenever something came
 */
export function useStickToEnd(shown: unknown): void {
  const isThere = useRef(true);
  useEffect(() => {
    const note = (): void => {
      isThere.current = isAtEnd();
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
  useLayoutEffect(() => {
    if (isThere.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [shown]);
}
