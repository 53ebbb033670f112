declare namespace N {
  const x: number;
}
const y: number = 2;
return [typeof N, y];
