import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { Button, Field } from '../parts/controls.js';
import { Failure } from '../parts/region.js';
import { signIn } from './session.js';

/** One field for a key. What was typed is nowhere but in the field, and not there once it has been sent. */
export function SignInForm({ onDone }: { readonly onDone: () => void }) {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const field = form.elements.namedItem('key');
    if (!(field instanceof HTMLInputElement)) return;
    const key = field.value.trim();
    if (key === '') {
      field.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await signIn({ key });
      field.value = '';
      onDone();
    } catch (error) {
      setProblem(asProblem(error));
      field.focus();
      field.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
    >
      {problem !== null && <Failure problem={refusal(problem)} />}
      {/* Password managers keep a key under a name. */}
      <input type="text" name="username" autocomplete="username" value="Annals" readOnly hidden />
      <Field label="API key">
        {(id) => (
          <input
            id={id}
            name="key"
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            autocapitalize="off"
            required
          />
        )}
      </Field>
      <Button type="submit" kind="pri" disabled={isBusy}>
        Sign in
      </Button>
    </form>
  );
}

const refusal = (problem: ApiProblem): ApiProblem =>
  problem.status === 401 ? Object.assign(problem, { title: 'This key is not known here.' }) : problem;
