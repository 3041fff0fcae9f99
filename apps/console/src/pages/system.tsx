/** System */
export default function Page() {
  return <h1 tabIndex={-1}>System</h1>;
}
