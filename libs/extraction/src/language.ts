/** The most frequent small words of the languages that PostgreSQL has a stemmer for. */
const WORDS: Readonly<Record<string, string>> = {
  english: 'the of and to in is that it for was with as be on are this by at from or an not have which you',
  german:
    'der die und das ist nicht mit von den ein eine zu für auf sich auch dem des wird im sind oder als wie',
  french:
    'le la les des et est une du dans que pour pas qui sur au avec ce sont par plus ou nous vous il elle',
  spanish: 'el la los las y es de que en un una por con para se del al como más pero su son este está o',
  italian: 'il di che la è per un una in non sono con del della le si gli da al più come anche nel questo',
  portuguese: 'o a os as e é de que em um uma para com não do da no na por mais dos se como mas foi ao são',
  dutch: 'de het een en van is dat in niet op te zijn voor met die aan er om ook als bij door naar maar',
  swedish: 'och att det i en som är på av för med till den inte om har de ett var jag från kan vid eller',
  danish: 'og at det i en af er til på som med for den der ikke de et har om var fra kan ved eller også',
  norwegian: 'og det i er på som en av til at for med den ikke de et har om var fra kan ved eller også jeg',
  finnish: 'ja on ei että se oli hän ovat joka mutta kun niin tai myös ole olla sen kuin tämä voi ovat',
  hungarian: 'a az és hogy nem is egy ez volt meg de van ha csak el már még mint ezt vagy minden lesz',
  romanian: 'și în de la cu pe este nu un o care din pentru că se sunt mai fi ca prin sau fost al au',
  turkish: 've bir bu için ile da de çok olan gibi daha olarak var ne kadar sonra ama en her ya değil',
  russian: 'и в не на что с по как это он к но из а для то все от за его она или так же был',
};

const byWord = new Map<string, string[]>();
for (const [language, words] of Object.entries(WORDS))
  for (const word of words.split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), language]);

/** What the text search configuration without stemming and stop words is called. */
export const NO_LANGUAGE = 'simple';
const SAMPLE = 20_000;
/** Of the words that are looked at. A list of part numbers is in no language. */
const LEAST_SHARE = 0.08;

/** The text search configuration that fits the text. */
export function languageOf(text: string): string {
  const words =
    text
      .slice(0, SAMPLE)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const hits = new Map<string, number>();
  for (const word of words)
    for (const language of byWord.get(word) ?? []) hits.set(language, (hits.get(language) ?? 0) + 1);
  const [best] = [...hits].sort((a, b) => b[1] - a[1]);
  return best !== undefined && best[1] >= Math.max(1, words.length * LEAST_SHARE) ? best[0] : NO_LANGUAGE;
}
