/** Run */
export default function Page() {
  return <h1 tabIndex={-1}>Run</h1>;
}
