/** New chat */
export default function Page() {
  return <h1 tabIndex={-1}>New chat</h1>;
}
