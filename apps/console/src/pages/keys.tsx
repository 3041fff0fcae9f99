/** Keys */
export default function Page() {
  return <h1 tabIndex={-1}>Keys</h1>;
}
