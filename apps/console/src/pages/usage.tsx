/** Usage */
export default function Page() {
  return <h1 tabIndex={-1}>Usage</h1>;
}
